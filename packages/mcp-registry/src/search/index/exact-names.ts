import { compareText } from '@x/internal/text';
import type { ToolIdentity } from '@x/internal/views';

interface NamedTool extends ToolIdentity {
  readonly name: string;
}

/** Finds tools by exact name, in any case: public name, `server/tool`, `server.tool`, or own name. */
export class ExactNames {
  readonly #byPublicName = new NamesByKey();
  readonly #byOwnName = new NamesByKey();

  add(tool: NamedTool): void {
    this.#byPublicName.add(tool.name, tool);
    this.#byOwnName.add(tool.tool, tool);
  }

  remove(tool: NamedTool): void {
    this.#byPublicName.remove(tool.name, tool);
    this.#byOwnName.remove(tool.tool, tool);
  }

  /** Public names. Those of the least ambiguous notation come first. */
  find(text: string): readonly string[] {
    const key = toKey(text);
    const found = [...this.#byPublicName.find(key), ...this.#findQualified(key), ...this.#byOwnName.find(key)];
    return Array.from(new Set(found.map(({ name }) => name)));
  }

  /** Names may contain dots and slashes, so each separator is tried. */
  #findQualified(key: string): readonly NamedTool[] {
    return Array.from(key.matchAll(/[./]/g)).flatMap(({ index }) => {
      const server = key.slice(0, index);
      const same = this.#byOwnName.find(key.slice(index + 1));
      return same.filter((tool) => tool.server !== undefined && toKey(tool.server) === server);
    });
  }
}

/** Creates no map for unique names. */
class NamesByKey {
  readonly #tools = new Map<string, NamedTool | Map<string, NamedTool>>();

  add(text: string, tool: NamedTool): void {
    const key = toKey(text);
    const found = this.#tools.get(key);
    if (found instanceof Map) found.set(tool.name, tool);
    else if (found === undefined) this.#tools.set(key, tool);
    else this.#tools.set(key, new Map([found, tool].map((each) => [each.name, each])));
  }

  remove(text: string, { name }: NamedTool): void {
    const key = toKey(text);
    const found = this.#tools.get(key);
    if (found instanceof Map) found.delete(name);
    if (found instanceof Map ? found.size === 0 : found?.name === name) this.#tools.delete(key);
  }

  find(key: string): readonly NamedTool[] {
    const found = this.#tools.get(key);
    if (found === undefined) return [];
    // The order must not depend on the history of the registry.
    return found instanceof Map ? Array.from(found.values()).sort(byName) : [found];
  }
}

function byName(left: NamedTool, right: NamedTool): number {
  return compareText(left.name, right.name);
}

function toKey(name: string): string {
  return name.trim().toLowerCase();
}
