/** A browser's name, in words that its owner recognises in the list of devices. */

/** More specific ones first: nearly all of them also contain Chrome and Safari. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\b(Edg|EdgA|EdgiOS|Edge)\//, "Edge"],
  [/\b(OPR|OPT|OPiOS|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
/** Android phones also contain Linux. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "Chromebook"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/** `touches`: how many touch points the screen has. An iPad calls itself a Mac, and no Mac has a touch screen. */
export function deviceNameOf(said: string, touches: number): string {
  const find = (names: typeof PROGRAMS) => names.find(([pattern]) => pattern.test(said))?.[1] ?? "";
  const system = find(SYSTEMS);
  return [find(PROGRAMS) || "browser", system === "Mac" && touches > 1 ? "iPad" : system].filter(Boolean).join(" · ");
}
