import type { ToolIdentity } from '@x/internal/views';
import { ToolPatterns } from '../roles/tool-pattern.js';

/**
 * Patterns as in `allowedTools` of a role. One with a dot or slash names tools: without the servers that there are, it
 * could also be the whole of a server with such a name, which `<server>.*` names.
 */
export class NamedTools {
  readonly #all: readonly string[];
  readonly #patterns: ToolPatterns;

  constructor(all: readonly string[]) {
    this.#all = all;
    this.#patterns = new ToolPatterns(all);
  }

  has(tool: ToolIdentity): boolean {
    const found = this.#patterns.find(tool, () => false);
    if (found === undefined || found !== tool.server || !/[./]/.test(found)) return found !== undefined;
    return new NamedTools(this.#all.filter((pattern) => pattern !== found)).has(tool);
  }
}
