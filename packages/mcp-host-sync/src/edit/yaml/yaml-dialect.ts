import { isMap, isScalar, isSeq, type YAMLSeq } from 'yaml';
import { nameFieldOf } from '../data/entry-data.js';
import type { Dialect, EntryChange, LocatedChange, Removal } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { DocumentShape } from '../document-shape.js';
import { memoizePer } from '../text/memoize.js';
import { appendItem, putValue } from './insert-yaml.js';
import { dataOfYaml, parseYaml } from './parse-yaml.js';
import { removeField, removeFromContainer } from './remove-yaml.js';
import { asNode, pairAt, slotAt, type YamlNode } from './yaml-nodes.js';

export const yamlDialect: Dialect = {
  open: (text) => {
    const document = parseYaml(text);
    const root = asNode(document?.contents);
    return {
      read: () => dataOfYaml(document),
      locate: (shape, change, removal) => locate(text, root, shape, change, removal),
    };
  },
};

function locate(
  text: string,
  root: YamlNode | undefined,
  shape: DocumentShape,
  change: EntryChange,
  removal: Removal,
): LocatedChange {
  const container = shape.keyPath.reduce<YamlNode | undefined>((node, key) => asNode(pairAt(node, key)?.value), root);
  if (isMap(container) && pairAt(container, '<<') !== undefined) {
    throw unsupported('A merge key ("<<") adds entries from elsewhere, which is not supported', container.range?.[0]);
  }
  if (change.type === 'insert') return insert(text, root, container, shape, change);

  const path = [...shape.keyPath, ...(isSeq(container) ? [] : [change.name])];
  if (change.type === 'remove') {
    const index = isSeq(container) ? indexNamed(container, shape, change.name) : undefined;
    return { splices: removeFromContainer(text, root, path, index, removal) };
  }
  const entry = isSeq(container)
    ? { node: asNode(container.items[indexNamed(container, shape, change.name)]) }
    : slotAt({ node: container }, change.name);
  if (change.type === 'set') return putValue(text, entry, change.path, change.value);
  return { splices: removeField(text, entry, change.path) };
}

function insert(
  text: string,
  root: YamlNode | undefined,
  container: YamlNode | undefined,
  { keyPath, collection }: DocumentShape,
  change: EntryChange & { type: 'insert' },
): LocatedChange {
  const at = { node: root };
  if (collection === 'map') return putValue(text, at, [...keyPath, change.name], change.entry, keyPath.length);
  if (isSeq(container) && container.items.length > 0) return appendItem(text, container, change.entry);
  return putValue(text, at, keyPath, [change.entry], keyPath.length);
}

function indexNamed(list: YAMLSeq, shape: DocumentShape, name: string): number {
  return indexesByName(list, nameFieldOf(shape)).get(name) ?? -1;
}

const indexesByName = memoizePer((list: YAMLSeq, field: string): ReadonlyMap<string, number> => {
  const indexes = new Map<string, number>();
  for (const [index, item] of list.items.entries()) {
    const name: unknown = pairAt(item, field)?.value;
    if (isScalar(name) && typeof name.value === 'string' && !indexes.has(name.value)) indexes.set(name.value, index);
  }
  return indexes;
});
