import { isOnlyForApps } from '@x/internal/app-tools';
import type { CallToolOptions, ToolCallResult } from '@x/internal/contracts';
import { requireView, type ToolView } from '@x/internal/views';
import type { RegistryView } from '../views/view.js';
import { runModelCall } from './model-call.js';
import { type ApiRules, type ShownTool, type ShownToolOptions, toShownTool } from './shown-tools.js';

/** The tools for one model: a format lists and runs no others. */
export interface OfferedTools {
  list(): readonly ShownTool[];
  /** `undefined` if the API allows no such tool, or only apps call it. */
  show(tool: ToolView): ShownTool | undefined;
  /** @throws As `ModelTools.run`. */
  call(name: string, args: unknown, options?: CallToolOptions): Promise<ToolCallResult>;
}

/**
 * Offers all tools of a view but those of apps. A definition is converted once, and its notes are reported once.
 *
 * @throws {TypeError} `view` is not a view.
 */
export function offerTools(view: RegistryView, options: ShownToolOptions, rules: ApiRules): OfferedTools {
  requireView(view);
  const converted = new WeakMap<ToolView, ShownTool | undefined>();
  const show = (tool: ToolView) => {
    if (isOnlyForApps(tool)) return undefined;
    if (!converted.has(tool)) converted.set(tool, toShownTool(tool, options, rules));
    return converted.get(tool);
  };
  return {
    list: () => view.list().flatMap((tool) => show(tool) ?? []),
    show,
    call: (name, args, callOptions) => runModelCall(view, name, args, callOptions),
  };
}
