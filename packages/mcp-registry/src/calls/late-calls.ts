import type { ToolCallResult } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';
import { LateModule } from '../late-module.js';
import type { ToolDescription } from '../tool-description.js';
import { checkCallOptions } from './call-options.js';
import type { CallableTools, ToolCall } from './call-tool.js';

/** Loaded with the first call or description. */
export const callCode = new LateModule(() => import('./call-code.js'));

/** Calls one tool. @throws Synchronously, if the tool cannot run. */
export function callTool(tools: CallableTools, call: ToolCall): Promise<ToolCallResult> {
  const code = callCode.loaded;
  if (code !== undefined) return code.callTool(tools, call);
  const { lifetime } = tools.visible.catalog;
  checkCallOptions(call.options);
  lifetime.throwIfOver();
  const { signal } = call.options;
  signal?.throwIfAborted();
  // The tool may change while the code loads.
  const loading = callCode.loadUnless({ lifetime, signal });
  return lifetime.during(loading.then((loaded) => loaded.callTool(tools, call, true)));
}

export async function describeTool(tool: ToolView): Promise<ToolDescription> {
  const code = await callCode.load();
  await code.loadEngineFor([tool.inputSchema]);
  return code.toDescription(tool);
}
