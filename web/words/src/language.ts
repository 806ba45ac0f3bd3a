/** The languages that people can choose. */
export type Language = "en" | "ja";
export const languages: readonly Language[] = ["en", "ja"];
