import type { SourceTool } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';
import { quote } from '@x/internal/text';
import { type AcceptedTool, checkTool } from './check-tool.js';
import type { RegistryDiagnostic } from './diagnostics.js';

const MAX_TOOLS = 100_000;
const MAX_CHARACTERS = 64 * 1_024 * 1_024;
const MAX_DIAGNOSTICS = 1_000;

export interface CheckedTools {
  /** Frozen, with unique names, in order of arrival. */
  readonly tools: readonly SourceTool[];
  readonly refused: readonly RegistryDiagnostic[];
}

export const NO_TOOLS: CheckedTools = Object.freeze({ tools: [], refused: [] });

/** Checks a source's list. Faulty entries are refused. */
export function checkTools(server: string, offered: readonly unknown[], before = NO_TOOLS): CheckedTools {
  const check = new ListCheck(server, offered, before);
  while (!check.isDone) check.step();
  return check.result();
}

/** Checks one entry per step, so that long lists can be checked in turns. */
export class ListCheck {
  readonly #server: string;
  readonly #offered: readonly unknown[];
  readonly #before: CheckedTools;
  readonly #known: ReadonlyMap<string, SourceTool>;
  readonly #tools = new Map<string, SourceTool>();
  readonly #diagnostics: RegistryDiagnostic[] = [];
  readonly #length: number;
  #refused = 0;
  #next = 0;
  #charactersLeft = MAX_CHARACTERS;

  /** @param before - The previous list; unchanged tools stay the same objects. */
  constructor(server: string, offered: readonly unknown[], before: CheckedTools) {
    this.#server = server;
    this.#offered = offered;
    this.#before = before;
    this.#known = new Map(before.tools.map((tool) => [tool.name, tool]));
    this.#length = Math.min(offered.length, MAX_TOOLS);
  }

  get isDone(): boolean {
    return this.#next >= this.#length;
  }

  step(): void {
    const index = this.#next++;
    const checked = checkTool(this.#offered[index]);
    if ('fault' in checked) this.#refuse(index, checked.name, checked.fault);
    else this.#take(index, checked);
  }

  result(): CheckedTools {
    const tools = Array.from(this.#tools.values());
    const refused = [...this.#diagnostics, ...this.#summary()];
    const { tools: known, refused: earlier } = this.#before;
    const isSame = tools.length === known.length && tools.every((tool, index) => tool === known[index]);
    return isSame && isSameJson(refused, earlier) ? this.#before : { tools, refused };
  }

  #take(index: number, { tool, characters, reductions }: AcceptedTool): void {
    const { name } = tool;
    if (this.#tools.has(name)) {
      const message = `Server ${quote(this.#server)} offers ${quote(name)} more than once; the first is kept`;
      this.#note({ code: 'duplicate-tool', server: this.#server, tool: name, message });
      return;
    }
    this.#charactersLeft -= characters;
    if (this.#charactersLeft < 0) {
      this.#refuse(
        index,
        name,
        `the tools before it have ${MAX_CHARACTERS} characters, which is all that one server may have`,
      );
      return;
    }
    const earlier = this.#known.get(name);
    this.#tools.set(name, earlier !== undefined && isSameJson(earlier, tool) ? earlier : tool);
    for (const { field, what } of reductions) this.#noteReduction(name, field, what);
  }

  #refuse(index: number, name: string | undefined, fault: string): void {
    const label = name === undefined ? `entry ${index + 1} of its list` : quote(name);
    const message = `Server ${quote(this.#server)}: ${label} is not a tool: ${fault}`;
    this.#note({ code: 'invalid-tool', server: this.#server, tool: name, message });
  }

  #noteReduction(tool: string, field: string, what: string): void {
    const message = `Server ${quote(this.#server)}: the ${quote(field)} of ${quote(tool)} ${what}`;
    this.#note({ code: 'reduced-tool', server: this.#server, tool, field, message });
  }

  #note(diagnostic: RegistryDiagnostic): void {
    if (++this.#refused <= MAX_DIAGNOSTICS) this.#diagnostics.push(diagnostic);
  }

  #summary(): readonly RegistryDiagnostic[] {
    const server = this.#server;
    const untold = this.#refused - this.#diagnostics.length;
    const unread = this.#offered.length - this.#length;
    const parts = [
      ...(untold > 0 ? [`${untold} more entries of its list were refused or shortened`] : []),
      ...(unread > 0 ? [`${unread} entries after the first ${MAX_TOOLS} were not read`] : []),
    ];
    if (parts.length === 0) return [];
    return [{ code: 'too-many-tools', server, message: `Server ${quote(server)}: ${parts.join(', and ')}` }];
  }
}
