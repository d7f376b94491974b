import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import type { ToolEntry } from '../schema/tools-file.js';

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
