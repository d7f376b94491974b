import { quoted } from '@x/internal/text';
import type { RoleRule, SourcePosition, ToolConfig } from './config.js';
import type { ConfigFile } from './config-file.js';
import { Claims } from './layers.js';
import type { ToolEntry } from './schema/tools-file.js';
import type { SourceText } from './source/source-text.js';

interface ResolvedTools {
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
  for (const file of files) {
    const { kind, source, section, tools: entries } = file;
    if (kind !== 'tools') continue;
    for (const name of source.keys([section])) {
      const path = [section, name];
      const claimed = claims.claim(name, path, file);
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
      askBefore: restriction.ask_before,
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

type Restrictions = ToolEntry['role_restrictions'];

/** Names of the defined roles, valid or not. Roles of a project count only if the user's files define no role. */
export function definedRoles(files: readonly ConfigFile[]): ReadonlySet<string> {
  const counted = rolesIn(files, 'user').size === 0 ? files : files.filter(({ layer }) => layer !== 'project');
  return rolesIn(counted);
}

/**
 * Removes roles of a project that the user does not define, `default`, and `inherits` of removed roles: a user who
 * defines roles decides which exist. Reports each removal.
 *
 * @param files - Strongest layer first.
 */
export function withoutProjectRoles(files: readonly ConfigFile[]): readonly ConfigFile[] {
  if (rolesIn(files, 'user').size === 0) return files;
  const defined = definedRoles(files);
  const isRemoved = (role: string): boolean => removed.has(role);
  const removed = new Set([...rolesIn(files, 'project')].filter((role) => !defined.has(role)));
  return files.map((file) => {
    if (file.layer !== 'project' || file.kind !== 'tools') return file;
    report(file, isRemoved);
    return { ...file, tools: narrowed(file.tools, isRemoved), toolParts: narrowed(file.toolParts, isRemoved) };
  });
}

function rolesIn(files: readonly ConfigFile[], only?: ConfigFile['layer']): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ kind, layer, source, section }) =>
      kind === 'tools' && (only === undefined || layer === only)
        ? source.keys([section]).flatMap((tool) => source.keys([section, tool, 'role_restrictions']))
        : [],
    ),
  );
}

function narrowed(tools: ConfigFile['tools'], isRemoved: (role: string) => boolean): ReadonlyMap<string, ToolEntry> {
  const restrictions = (all: Restrictions): Restrictions =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([role]) => !isRemoved(role))
        .map(([role, { default: _, inherits, ...rest }]) => [
          role,
          { ...rest, ...(inherits && { inherits: inherits.filter((parent) => !isRemoved(parent)) }) },
        ]),
    );
  return new Map(
    Array.from(tools, ([name, tool]) => [name, { ...tool, role_restrictions: restrictions(tool.role_restrictions) }]),
  );
}

function report({ source, section, toolParts }: ConfigFile, isRemoved: (role: string) => boolean): void {
  for (const [tool, { role_restrictions }] of toolParts) {
    for (const [role, restrictions] of Object.entries(role_restrictions)) {
      const path = [section, tool, 'role_restrictions', role];
      const fault = { code: 'project-role', severity: 'warning', role } as const;
      if (isRemoved(role)) {
        const message = `Role ${quoted(role)} of the project has no effect, because your own files define roles and not this one`;
        const hint = 'to use it, add it to the role_restrictions of your own tools.yaml';
        source.report({ ...fault, message, hint }, path, { part: 'key' });
      } else if (restrictions.default === true) {
        const message = `The default of the project, ${quoted(role)}, has no effect, because your own files define roles`;
        const hint = 'to make it the default, write that into your own tools.yaml';
        source.report({ ...fault, message, hint }, [...path, 'default'], { part: 'key' });
      }
    }
  }
}
