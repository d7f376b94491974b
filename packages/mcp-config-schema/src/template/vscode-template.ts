import type { TemplatePart } from './parse-template.js';

/**
 * A text as VS Code reads it in its `mcp.json`, where some names belong to VS Code and not to the environment:
 * `${workspaceFolder}` is the root, `${userHome}` the home directory.
 */
export function asInVscode(parts: readonly TemplatePart[], home: string | undefined): readonly TemplatePart[] {
  return parts.map((part): TemplatePart => {
    const { expression, offset } = part;
    if (expression === workspaceFolder) return { kind: 'place', place: 'root', expression, offset };
    if (expression === userHome && home !== undefined) return { kind: 'text', text: home, expression, offset };
    return part;
  });
}

/** What VS Code asks its person for: the `token` of `${input:token}`. */
export function askedInput(expression: string): string | undefined {
  return /^\$\{input:([^}]+)\}$/.exec(expression)?.[1];
}

const workspaceFolder = `\${workspaceFolder}`;
const userHome = `\${userHome}`;
