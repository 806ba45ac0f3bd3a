/** What the web app says about the nodes that share a journal, in English. */

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const en = {
  title: "Cluster",
  entry: "The nodes that share this inbox, and how they are.",
  entryOpen: "Nodes",
  back: "Settings",

  howMany: (nodes: number, down: number) =>
    `${count(nodes, "node shares", "nodes share")} this inbox. ${down === 0 ? (nodes === 1 ? "It is up." : "All are up.") : `${down} ${down === 1 ? "is" : "are"} down.`}`,
  anyNode: "You can answer on any of them. An agent runs on one of them, and only there.",
  alone: "This server does not share its journal. Several can, if the journal is on NATS: see “cluster” in the documentation.",
  onlyOperators: "Only operators see the nodes.",
  notFresh: (why: string) => `The nodes could not be read just now: ${why}`,
  holdsBack: (node: string, why: string) => `${node} settles no deadline and rings nobody: ${why}. The other nodes do.`,

  nodes: "Nodes",
  here: "this page is connected here",
  up: "up",
  down: "down",
  downSince: (time: string) => `down since ${time}`,
  downMeans: (node: string) => `Questions of the agents on ${node} are still here, and you can answer them. The agents get the answers when it is back.`,
  downDo: (node: string) => `Start askbridge on ${node} again; \`askbridge cluster status\` there says whether it has joined.`,
  forget: "It will not come back",
  forgetNamed: (node: string) => `It will not come back: ${node}`,
  forgetMeans: (node: string) =>
    `This declares ${node} gone, for good. Its agents do not come back. Their open questions stay, and an answer becomes a message. Should ${node} start again after all, it ends its agents and joins as another node.`,
  forgetNow: "Declare it gone",
  forgotten: (node: string, sessions: number, asks: number) => `${node} was declared gone, with ${count(sessions, "conversation", "conversations")} and ${count(asks, "open question", "open questions")}.`,
  clockOff: "Its clock is off, so it settles no deadline and rings nobody. Set the clock.",

  labels: "Labels",
  address: "Address",
  version: "Version",
  upSince: "Up since",
  agents: "Agents",
  agentsOf: (n: number, max: number) => `${n} of ${max}`,
  agentsWere: (n: number) => `${n}, when it was last heard of`,
  connections: "Connections",
  index: "Index",
  indexCurrent: "up to date",
  indexBehind: (n: number) => `${count(n, "entry", "entries")} behind`,
  clock: "Clock",
  clockRight: "right",
  clockAhead: (seconds: string) => `${seconds} s ahead`,
  clockBehind: (seconds: string) => `${seconds} s behind`,
  folders: "Folders",
  id: "Id",

  // In conversations
  node: "Node",
  nodeAny: "One that has the folder",
  nodeDown: (node: string) => `${node} (down)`,
  nodeGone: (node: string) => `${node} (gone)`,
  nodeLabelled: (node: string, labels: string) => `${node} · ${labels}`,
  nodeMore: "Where the agent runs. Its files and its login are there.",
  foldersThere: (node: string) => `On ${node}, agents may work in these folders and below.`,
  typeFolder: (node: string) => `Type a folder of ${node}. The folders of another node cannot be browsed from here.`,
};
