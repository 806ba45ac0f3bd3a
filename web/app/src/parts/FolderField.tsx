/** A field for an agent's folder: typed, recently used, or browsed among those that the server allows. */

import { useEffect, useId, useState } from "react";
import { Trouble, type Folders, type Node, type SessionListed } from "@askbridge/client";
import { hidesSomething, Seen, useBridge, useClient } from "@askbridge/react";
import { clusterWords } from "@askbridge/words";
import { rootsOf } from "../cluster/facts.ts";
import { languageOf, useSettings } from "../settings.ts";
import { useWords } from "../words.ts";
import { Button } from "./parts.tsx";

const RECENT_MAX = 4;
/** Sessions of this door were started here, by a person. */
const HOSTED = "claude";

/** Returns the folders in which people had agents work, newest first, without those of agents that only ask. */
export const recentFolders = (sessions: readonly Pick<SessionListed, "door" | "folder">[]): string[] =>
  [...new Set(sessions.flatMap(({ door, folder }) => (door === HOSTED && folder !== null ? [folder] : [])))].slice(0, RECENT_MAX);

export interface FolderFieldProps {
  readonly folder: string;
  readonly onFolder: (folder: string) => void;
  /** Another node, whose folders this server cannot list: it says in which ones its agents may work. */
  readonly elsewhere?: Pick<Node, "name" | "roots">;
}

export function FolderField({ folder, onFolder, elsewhere }: FolderFieldProps) {
  const words = useWords();
  const nodes = clusterWords[languageOf(useSettings())];
  const client = useClient();
  const id = useId();
  const isLive = useBridge((state) => state.connection.state === "live");
  const sessions = useBridge((state) => state.sessions);
  const recent = recentFolders(sessions.items);
  const suggested = elsewhere ? rootsOf(elsewhere) : recent;
  const [found, setFound] = useState<Folders | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const home = found?.home ?? null;

  const look = (below?: string) =>
    client.api.folders(below).then(
      (folders) => {
        setFound(folders);
        setTrouble(null);
        return folders;
      },
      (error) => void setTrouble(error instanceof Trouble ? error.message : String(error)),
    );
  useEffect(() => {
    if (!isLive) return;
    if (!sessions.loaded) client.loadSessions().catch(() => undefined);
    void look();
  }, [isLive]);
  // If there is only one choice, it is not asked.
  const only = found?.folder === null && found.items.length === 1 ? found.items[0]?.path : undefined;
  useEffect(() => {
    const first = recent[0] ?? only;
    if (folder === "" && first) onFolder(first);
  }, [recent[0], only]);

  const short = (path: string) => (home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path);
  const browse = async () => {
    if (isOpen) return setOpen(false);
    setOpen(true);
    // Begins at the folder in the field, if it exists; otherwise at the roots.
    const there = folder.trim() ? await client.api.folders(folder.trim()).catch(() => null) : null;
    if (there) setFound(there);
    else await look();
  };
  return (
    <div className="app-field app-folder">
      <label htmlFor={id}><span>{words.folder}</span></label>
      <div className="app-folder-line">
        <input id={id} className="app-input" required autoComplete="off" autoCapitalize="off" spellCheck={false} value={folder} placeholder="~/…" onChange={({ target }) => onFolder(target.value)} />
        {!elsewhere && <Button aria-expanded={isOpen} onClick={() => void browse()}>{words.browse}</Button>}
      </div>
      {/* A field shows text as it is; hidden characters are named below it. */}
      {hidesSomething(folder) && <p className="app-trouble" role="status"><Seen text={folder} /></p>}
      <small>{elsewhere ? (elsewhere.roots?.length ? nodes.foldersThere(elsewhere.name) : nodes.typeFolder(elsewhere.name)) : words.folderMore}</small>
      {(elsewhere ? suggested.length > 0 : !isOpen && suggested.length > 1) && (
        <div className="app-folder-recent" role="group" aria-label={elsewhere ? nodes.folders : words.recentFolders}>
          {suggested.map((path) => <Button key={path} kind="quiet" aria-pressed={path === folder} onClick={() => onFolder(path)}><Seen text={elsewhere ? path : short(path)} /></Button>)}
        </div>
      )}
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      {isOpen && found && !elsewhere && (
        <div className="app-folder-tree" role="group" aria-label={found.folder ?? words.browse}>
          <p className="app-folder-here" aria-live="polite">
            <span>{found.folder ? <Seen text={short(found.folder)} /> : words.rootFolders}</span>
            {found.folder && <Button kind="main" onClick={() => { onFolder(found.folder ?? ""); setOpen(false); }}>{words.chooseFolder}</Button>}
          </p>
          <ul>
            {found.folder && <li><Button kind="quiet" onClick={() => void look(found.parent ?? undefined)}>‹ {found.parent ? <Seen text={short(found.parent)} /> : words.rootFolders}</Button></li>}
            {found.items.map(({ path, name, is_project }) => (
              <li key={path}><Button kind="quiet" onClick={() => void look(path)}><Seen text={found.folder ? name : short(path)} />{is_project && <span className="app-chip">{words.isProject}</span>}</Button></li>
            ))}
            {found.items.length === 0 && <li className="app-note">{words.noFolders}</li>}
            {found.more && <li className="app-note">{words.moreFolders}</li>}
          </ul>
        </div>
      )}
    </div>
  );
}
