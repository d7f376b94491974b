import type { CallToolOptions, ToolArguments, ToolCallResult } from '../contracts.js';
import type { OptionCheck } from '../options.js';
import type { ToolView } from './tool-view.js';

/** Runs programs of models as the tool `execute_mcp_code`. `openCodeRunner` of `@x/mcp-registry/code` opens one. */
export interface CodeTool {
  /** Definition of the tool. */
  readonly tool: ToolView;
  /**
   * Runs one program, which calls tools of `view` only. A failure of the program is a result with `isError`.
   *
   * @throws The reason of `options.signal` when it aborts.
   */
  run(view: CodeToolView, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult>;
}

/** The part of a view that programs use. */
export interface CodeToolView {
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
}

/** Row of an option that takes a `CodeTool`. */
export const codeOption: OptionCheck & { readonly kind: 'other' } = { kind: 'other', check: codeFault };

function codeFault(code: unknown): string | undefined {
  const { tool, run } = Object(code);
  const isOpen = typeof run === 'function' && typeof Object(tool).name === 'string';
  return isOpen ? undefined : 'an open CodeRunner: await openCodeRunner()';
}
