import { quoted } from '@x/internal/text';
import { Claims } from '../claims.js';
import type { RoleRule, SourcePosition, ToolConfig } from '../config.js';
import type { ConfigFile } from '../config-file.js';
import type { ToolEntry } from '../schema/tools-file.js';
import type { SourceText } from '../source/source-text.js';

export interface ResolvedTools {
  readonly tools: readonly ToolConfig[];
  readonly roles: readonly RoleRule[];
}

/**
 * Tools of all texts, each from the strongest layer, and their role rules. A call must pass the rules of all layers: a
 * project can narrow what a user allows, never widen it. Reports a tool in two texts of one layer.
 *
 * @param files - From `withoutProjectRoles`, strongest layer first.
 */
export function resolveTools(files: readonly ConfigFile[]): ResolvedTools {
  const tools: ToolConfig[] = [];
  const roles: RoleRule[] = [];
  const claims = new Claims((key, first, where) => {
    const message = `Tool ${quoted(key)} ${where}`;
    const hint = 'rename one of the two, or remove it';
    return { code: 'duplicate-key', severity: 'error', message, key, first, hint };
  });
  for (const { kind, source, layer, section, tools: entries } of files) {
    if (kind !== 'tools') continue;
    for (const name of source.keys([section])) {
      const path = [section, name];
      const claimed = claims.claim(name, path, source, layer);
      const entry = entries.get(name);
      if (entry === undefined || claimed === 'repeated') continue;
      if (claimed === 'first') tools.push(resolveTool(name, entry, source.position(path, { part: 'key' })));
      for (const rule of rulesOf(name, entry, source)) roles.push(rule);
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

function rulesOf(tool: string, entry: ToolEntry, source: SourceText): RoleRule[] {
  return Object.entries(entry.role_restrictions).map(([role, restriction]) => {
    const optional = {
      deniedTools: restriction.denied_tools,
      requiredAnnotations: restriction.required_annotations,
      allowedResources: restriction.allowed_resources,
      allowedPrompts: restriction.allowed_prompts,
      inherits: restriction.inherits,
      isDefault: restriction.default,
    };
    return {
      role,
      allowedTools: restriction.allowed_tools,
      ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
      tool,
      source: source.position(['tools', tool, 'role_restrictions', role], { part: 'key' }),
    };
  });
}
