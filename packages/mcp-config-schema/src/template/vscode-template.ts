import type { TemplatePart } from './parse-template.js';

/**
 * Applies the names of VS Code in its `mcp.json`: `${workspaceFolder}` is the root, `${userHome}` the home directory.
 */
export function asInVscode(parts: readonly TemplatePart[], home: string | undefined): readonly TemplatePart[] {
  return parts.map((part): TemplatePart => {
    const { expression, offset } = part;
    if (expression === workspaceFolder) return { kind: 'place', place: 'root', expression, offset };
    if (expression === userHome && home !== undefined) return { kind: 'text', text: home, expression, offset };
    return part;
  });
}

/** The input of a prompt in VS Code: `token` of `${input:token}`. */
export function askedInput(expression: string): string | undefined {
  return /^\$\{input:([^}]+)\}$/.exec(expression)?.[1];
}

const workspaceFolder = `\${workspaceFolder}`;
const userHome = `\${userHome}`;
