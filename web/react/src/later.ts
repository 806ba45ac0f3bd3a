/** Parts of cards that are loaded when a card needs them. */

/** Loads them before one does: without a server they could not be had any more. */
export const loadCards = () => Promise.all([import("./approval/Input.tsx"), import("./Markdown/Rendered.tsx")]).then(() => undefined);
