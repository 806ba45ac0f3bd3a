import { configure } from "@testing-library/react";

// How long to wait for something that comes later. A bound for a busy machine, not an expectation.
configure({ asyncUtilTimeout: 30_000 });
