// What OpenClaw's plugin for Whimmy does with OpenClaw itself: every message writes its `agentConfig` into the settings of the
// agent that it names, and what is written there last decides how long an agent waits and what it asks for.

const WAIT_MS = 120_000;

export class OpenClaw {
  /** As a person has set it up. */
  settings = { agents: { list: [{ id: "main", model: "anthropic/mine", tools: { allow: ["read"] } }] } };
  configs = new Map();

  agent(id) {
    return this.settings.agents.list.find((agent) => agent.id === id);
  }

  /** Takes a message for an agent. Throws where the plugin throws. */
  take({ message, agentId, sessionKey, agentConfig, attachments, history, isOrchestrator, availableAgents }) {
    message.slice(0, 80);
    this.configs.set(agentId, agentConfig);
    if (!this.agent(agentId)) this.settings.agents.list.push({ id: agentId });
    const agent = this.agent(agentId);
    agent.model = agentConfig.model;
    if (agentConfig.skills !== undefined) agent.skills = agentConfig.skills;
    for (const [name, skill] of Object.entries(agentConfig.skillEntries ?? {})) {
      this.settings.skills = { ...this.settings.skills, [name]: skill };
    }
    if (agentConfig.approvals?.enabled) {
      (agentConfig.approvals.tools ?? ["*"]).join();
      agent.tools = { ...agent.tools, exec: { ...agent.tools?.exec, ask: "off" } };
    }
    const allowed = agent.tools?.allow ?? [];
    if (agentConfig.askUserQuestion?.enabled !== false && !allowed.includes("AskUserQuestion")) {
      agent.tools = { ...agent.tools, allow: [...allowed, "AskUserQuestion"] };
    }
    agent.workspace = `agents/${agentId}`;
    const media = (attachments ?? []).map(({ filePath, fileUrl, mimeType }) => [fileUrl || filePath, mimeType]);
    const before = (history ?? []).map(({ role, content, agentName }) => `${agentName ?? role}: ${content}`);
    const others = isOrchestrator ? (availableAgents ?? []) : [];
    // How full its context is, is counted for the model.
    agentConfig.model?.toLowerCase();
    return { key: `agent:${agentId}:direct:${sessionKey}`.toLowerCase(), media, before, others };
  }

  /** Does the agent ask a person before it uses this tool? */
  asksBefore(agentId, tool) {
    const { enabled, tools = ["*"] } = this.configs.get(agentId)?.approvals ?? {};
    return Boolean(enabled) && (tools.includes("*") || tools.includes(tool));
  }

  /** How long it waits for an answer. */
  patience(agentId) {
    return this.configs.get(agentId)?.askUserQuestion?.timeoutMs ?? WAIT_MS;
  }
}
