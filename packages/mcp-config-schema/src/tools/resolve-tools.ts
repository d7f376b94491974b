import type { RoleRule, SourcePosition, ToolConfig } from '../config.js';
import type { ConfigFile } from '../config-file.js';
import { quoted } from '../printable.js';
import type { ToolEntry } from '../schema/tools-file.js';

export interface ResolvedTools {
  readonly tools: readonly ToolConfig[];
  readonly roles: readonly RoleRule[];
}

/** The tools of all texts and what they allow to roles; a tool that stands in two texts is reported. */
export function resolveTools(files: readonly ConfigFile[]): ResolvedTools {
  const tools: ToolConfig[] = [];
  const roles: RoleRule[] = [];
  const places = new Map<string, SourcePosition>();
  for (const { source, section, tools: entries } of files) {
    for (const name of source.keys([section])) {
      const entry = entries.get(name);
      if (entry === undefined) continue;
      const path = [section, name];
      const position = source.position(path, { part: 'key' });
      const first = places.get(name);
      if (first === undefined) {
        places.set(name, position);
        tools.push(resolveTool(name, entry, position));
        roles.push(...rulesOf(name, entry));
        continue;
      }
      const message = `Tool ${quoted(name)} stands in two files: also in ${first.file ?? 'another text'}, line ${first.line}`;
      const hint = 'rename one of the two, or remove it';
      const fault = { code: 'duplicate-key', severity: 'error', message, key: name, first, hint } as const;
      source.report(fault, path, { part: 'key' });
    }
  }
  return { tools, roles };
}

function resolveTool(name: string, entry: ToolEntry, source: SourcePosition): ToolConfig {
  const { required, recommended, optional } = entry.mcp_tools;
  return {
    name,
    source,
    binary: entry.binary,
    commandTemplate: entry.command_template,
    models: entry.models,
    mcpTools: {
      required: [...new Set(required)],
      recommended: [...new Set(recommended)],
      optional: [...new Set(optional)],
    },
  };
}

function rulesOf(tool: string, entry: ToolEntry): RoleRule[] {
  return Object.entries(entry.role_restrictions).map(([role, restriction]) => ({
    role,
    allowedTools: restriction.allowed_tools,
    tool,
  }));
}
