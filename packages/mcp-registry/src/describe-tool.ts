import type { ToolView } from '@x/internal/views';
import { argumentCode } from './arguments/argument-code.js';
import type { ToolDescription } from './tool-description.js';

export async function describeTool(tool: ToolView): Promise<ToolDescription> {
  const code = await argumentCode.load();
  await code.loadEngineFor(tool.inputSchema);
  return code.toDescription(tool);
}
