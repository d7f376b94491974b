import type { ToolView } from '@x/mcp-registry';

type Annotations = Pick<ToolView, 'annotations'>;

/** Unless its server says that it only reads, or that it destroys nothing: the rule of `ask_before: destructive`. */
export function mayDestroy({ annotations }: Annotations): boolean {
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  return !(readOnlyHint === true && destructiveHint !== true) && destructiveHint !== false;
}

interface Hint {
  readonly label: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet';
}

/** The claims of the server about a tool. */
export function hintsOf({ annotations }: Annotations): readonly Hint[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
  const hints: readonly (Hint | undefined)[] = [
    readOnlyHint === true ? { label: '✓ only reads', tone: 'good' } : undefined,
    destructiveHint === true ? { label: '! may destroy', tone: 'bad' } : undefined,
    destructiveHint === false && readOnlyHint !== true ? { label: '✓ destroys nothing', tone: 'good' } : undefined,
    idempotentHint === true ? { label: 'may run twice', tone: 'quiet' } : undefined,
    openWorldHint === true ? { label: 'reaches outside', tone: 'quiet' } : undefined,
  ];
  return hints.filter((hint) => hint !== undefined);
}
