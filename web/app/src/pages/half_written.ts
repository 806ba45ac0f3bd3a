/** A conversation that was begun here and not started yet: it stays on this device until it is. */

const KEY = "askbridge.new_session";

export interface HalfWritten {
  readonly message: string;
  readonly folder: string;
  readonly model: string;
  readonly mode: string;
  readonly title: string;
  /** Started on the server already, with these settings; only its first message is missing. */
  readonly started: { readonly session: string; readonly as: string } | null;
}

export const blank: HalfWritten = { message: "", folder: "", model: "", mode: "default", title: "", started: null };

/** Everything but the message: a session that was started with other settings is another one. */
export const settingsOf = ({ folder, model, mode, title }: HalfWritten): string => JSON.stringify([folder.trim(), model.trim(), mode, title.trim()]);

export function readHalf(): HalfWritten {
  try {
    return { ...blank, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<HalfWritten>) };
  } catch {
    return blank;
  }
}

export function keepHalf(half: HalfWritten | null) {
  try {
    if (half === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(half));
  } catch {
    // It is there for as long as the page is.
  }
}
