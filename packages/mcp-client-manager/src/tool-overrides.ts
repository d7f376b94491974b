import type { ToolOverride, ToolOverrides } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { optionTable } from '@x/internal/options';

const overrideFields = optionTable<ToolOverride>()({
  title: { kind: 'text' },
  description: { kind: 'text' },
  hidden: { kind: 'flag' },
});

/** @throws {TypeError} Names the server, the tool and the field that is invalid. */
export function resolveOverrides(where: string, tools: ToolOverrides | undefined): ToolOverrides | undefined {
  if (tools === undefined) return undefined;
  if (!isRecord(tools)) {
    const remedy = Array.isArray(tools) ? '. A list of the tools that are offered is "allowedTools"' : '';
    throw new TypeError(`${where}tools must be an object, such as { search: { description: "…" } }${remedy}`);
  }
  return Object.freeze(
    Object.fromEntries(Object.entries(tools).map(([tool, override]) => [tool, readOverride(where, tool, override)])),
  );
}

function readOverride(where: string, tool: string, override: ToolOverride): ToolOverride {
  const path = `${where}tools[${JSON.stringify(tool)}]`;
  if (!isRecord(override)) throw new TypeError(`${path} must be an object with title, description or hidden`);
  const read = overrideFields.read(override, `${path}.`);
  return Object.freeze(Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)));
}
