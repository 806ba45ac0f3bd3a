/** Parts of cards that are loaded on demand. */

/** Preloads them: without a server they could not be loaded later. */
export const loadCards = () => Promise.all([import("./approval/Input.tsx"), import("./approval/Always.tsx"), import("./Markdown/Rendered.tsx")]).then(() => undefined);
