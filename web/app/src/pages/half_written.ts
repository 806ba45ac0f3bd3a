/** The draft of a new conversation: stays on this device until the conversation is started. */

const KEY = "askbridge.new_session";

export interface HalfWritten {
  readonly message: string;
  readonly folder: string;
  readonly model: string;
  readonly mode: string;
  readonly title: string;
  /** The id of the node that is to run the agent. Empty: one that has the folder. */
  readonly host: string;
  /** Already started on the server, with these settings; only its first message is missing. */
  readonly started: { readonly session: string; readonly as: string } | null;
}

export const blank: HalfWritten = { message: "", folder: "", model: "", mode: "default", title: "", host: "", started: null };

/** Everything but the message: with other settings it has to be another session. */
export const settingsOf = ({ folder, model, mode, title, host }: HalfWritten): string => JSON.stringify([folder.trim(), model.trim(), mode, title.trim(), host]);

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
    // It stays in memory while the page is open.
  }
}
