import { parseJsonText, type TextPositions } from '@x/internal/syntax';
import type { Node } from 'jsonc-parser';
import type { ConfigPath } from '../issues.js';
import { EntryCollector, type ReportFault, type SourceNode, tooDeep } from './source-tree.js';

/** Accepts comments and trailing commas. Returns `undefined` for empty and invalid texts. */
export function readJson(text: string, positions: TextPositions, report: ReportFault): SourceNode | undefined {
  const reading = parseJsonText(text, { comments: true, trailingCommas: true });
  switch (reading.kind) {
    case 'empty':
      return undefined;
    case 'too-deep':
      report(tooDeep, reading.offset);
      return undefined;
    case 'faulty':
      for (const { message, offset } of reading.faults) report({ code: 'syntax', severity: 'error', message }, offset);
      return undefined;
    case 'tree':
      return convert(reading.root, [], positions, report);
  }
}

function convert(node: Node, path: ConfigPath, positions: TextPositions, report: ReportFault): SourceNode {
  const start = node.offset;
  const children = node.children ?? [];
  if (node.type === 'array') {
    const items = children.map((child, index) => convert(child, [...path, index], positions, report));
    return { kind: 'list', start, items };
  }
  if (node.type !== 'object') return { kind: 'scalar', start, end: start + node.length, value: node.value };

  const collector = new EntryCollector(path, report, positions.at);
  for (const { children: [key, value] = [] } of children) {
    if (key === undefined || value === undefined) continue; // only in invalid texts
    collector.add(key.value, key.offset, () => convert(value, [...path, key.value], positions, report));
  }
  return { kind: 'map', start, entries: collector.entries };
}
