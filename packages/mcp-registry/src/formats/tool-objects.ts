import type { CallToolOptions } from '@x/internal/contracts';
import { milliseconds, type OptionRows } from '@x/internal/options';
import { MEDIA, type MediaOptions, mediaRows, TEXT_ONLY } from './result-parts.js';
import { type ShownToolOptions, shownRows } from './shown-tools.js';

/** Options of formats whose tools run themselves. The package that runs them decides which model is called. */
export interface ToolObjectOptions extends ShownToolOptions, MediaOptions {
  /** Longest wait for a tool that runs itself, in milliseconds. Default: the source's own. */
  readonly timeoutMs?: number | undefined;
}

export const toolObjectRows = {
  ...shownRows,
  ...mediaRows,
  timeoutMs: milliseconds,
} as const satisfies OptionRows<ToolObjectOptions>;

export function acceptedBy({ media }: { readonly media: boolean }): readonly string[] {
  return media ? MEDIA : TEXT_ONLY;
}

export function callOptions(
  { timeoutMs }: { readonly timeoutMs: number | undefined },
  signal: AbortSignal | undefined,
): CallToolOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}
