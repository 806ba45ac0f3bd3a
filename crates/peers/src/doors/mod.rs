//! How agents reach us. Doors never see dialects, nor each other.

pub mod claude;
pub mod hook;
pub mod http;
pub mod mcp;
pub mod whimmy;
