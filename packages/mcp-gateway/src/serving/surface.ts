import type { OptionRows, Resolved } from '@x/internal/options';
import { PEEK, peekTools, type ToolView } from '@x/internal/views';
import { CallByName, ConstantSurface } from '../views/constant-surface.js';
import type { RegistryView } from '../views/view.js';

/**
 * Which tools `tools/list` shows. `full`: all. `search`: only `search_mcp_tools` and `call_mcp_tool`, which find and
 * call all others. `auto`: `full` up to `maxListedTools` tools, then `search`.
 */
export type Surface = 'full' | 'search' | 'auto';

/** Options of the listing. */
export interface SurfaceOptions {
  /** Default `full`. */
  readonly surface?: Surface | undefined;
  /** Maximum number of listed tools with `auto`. Default 50. */
  readonly maxListedTools?: number | undefined;
}

export const surfaceRows = {
  surface: { kind: 'word', words: ['full', 'search', 'auto'], default: 'full' },
  maxListedTools: { kind: 'number', of: 'tools', min: 0, default: 50 },
} as const satisfies OptionRows<SurfaceOptions>;

export type SurfacePolicy = Resolved<SurfaceOptions, typeof surfaceRows>;

export function createSurface(view: RegistryView, { surface, maxListedTools }: SurfacePolicy): RegistryView {
  if (surface === 'full') return view;
  return surface === 'search' ? new ConstantSurface(view) : new AutoSurface(view, maxListedTools);
}

/** Chooses the listing by the number of tools. Calls accept both forms, since a client may have the other listing. */
class AutoSurface extends CallByName {
  readonly #constant: RegistryView;
  readonly #maxListedTools: number;

  constructor(view: RegistryView, maxListedTools: number) {
    super(view);
    this.#constant = new ConstantSurface(view);
    this.#maxListedTools = maxListedTools;
  }

  override list(): readonly ToolView[] {
    return this.#shown.list();
  }

  override [PEEK](): readonly ToolView[] {
    return peekTools(this.#shown);
  }

  get #shown(): RegistryView {
    return peekTools(this.inner).length > this.#maxListedTools ? this.#constant : this.inner;
  }
}
