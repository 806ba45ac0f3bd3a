/** What a key means on a question. Pure, so that every rule is a row in a test. */

export interface Stroke {
  readonly key: string;
  /** 229 while a Japanese, Chinese or Korean word is being composed, even where `isComposing` is not set. */
  readonly keyCode: number;
  readonly isComposing: boolean;
  readonly shift: boolean;
  /** Control, Command or Alt. */
  readonly chord: boolean;
}

export interface Place {
  readonly on: "option" | "text" | "elsewhere";
  /** The focused option. */
  readonly option: number;
  readonly options: number;
  /** A touch keyboard has no Shift+Enter, so its Enter is a new line. */
  readonly touch: boolean;
}

export type Deed =
  | { readonly does: "choose"; readonly option: number }
  | { readonly does: "focus"; readonly option: number }
  | { readonly does: "find"; readonly letter: string }
  | { readonly does: "submit" }
  /** Leaves a text field for the question. Nothing is lost. */
  | { readonly does: "leave" };

export function deedOf(stroke: Stroke, place: Place): Deed | null {
  if (stroke.isComposing || stroke.keyCode === 229) return null;
  if (stroke.key === "Enter" && stroke.chord) return { does: "submit" };
  if (stroke.chord) return null;
  if (stroke.key === "Escape") return place.on === "text" ? { does: "leave" } : null;
  if (place.on === "text") {
    return stroke.key === "Enter" && !stroke.shift && !place.touch ? { does: "submit" } : null;
  }
  if (/^[1-9]$/.test(stroke.key)) {
    const option = Number(stroke.key) - 1;
    return option < place.options ? { does: "choose", option } : null;
  }
  if (place.on === "elsewhere") return null;
  switch (stroke.key) {
    case "ArrowDown":
    case "ArrowRight":
      return { does: "focus", option: (place.option + 1) % place.options };
    case "ArrowUp":
    case "ArrowLeft":
      return { does: "focus", option: (place.option + place.options - 1) % place.options };
    case "Home":
      return { does: "focus", option: 0 };
    case "End":
      return { does: "focus", option: place.options - 1 };
    case " ":
      return { does: "choose", option: place.option };
    case "Enter":
      return { does: "submit" };
    default:
      return [...stroke.key].length === 1 ? { does: "find", letter: stroke.key } : null;
  }
}

/** How long typed letters belong together. */
export const FIND_MS = 700;

/** Finds the option whose label begins with the typed text, from `from` on and around. The same letter again: the next one. */
export function find(labels: readonly string[], typed: string, from: number): number | null {
  const plain = (text: string) => text.normalize("NFKC").toLowerCase();
  const letters = [...plain(typed)];
  const isOneLetter = letters.every((letter) => letter === letters[0]);
  const wanted = isOneLetter ? (letters[0] ?? "") : letters.join("");
  const start = isOneLetter ? from + 1 : from;
  for (let step = 0; step < labels.length; step += 1) {
    const at = (start + step + labels.length) % labels.length;
    if (plain(labels[at] ?? "").startsWith(wanted)) return at;
  }
  return null;
}
