import { isMap, isSeq, type YAMLSeq } from 'yaml';
import type { Dialect, LocatedChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { DocumentShape } from '../document-shape.js';
import type { EntryChange } from '../entry-changes.js';
import { nameFieldOf } from '../entry-data.js';
import { appendItem, putValue } from './insert-yaml.js';
import { dataOfYaml, keyName, parseYaml } from './parse-yaml.js';
import { removeField, removeFromContainer } from './remove-yaml.js';
import { asNode, heldAt, pairAt, type YamlNode } from './yaml-nodes.js';

export const yamlDialect: Dialect = {
  read: (text) => dataOfYaml(parseYaml(text)),
  locate: (text, shape, change, removal): LocatedChange => {
    const root = asNode(parseYaml(text)?.contents);
    const container = shape.keyPath.reduce<YamlNode | undefined>((node, key) => asNode(pairAt(node, key)?.value), root);
    if (isMap(container) && pairAt(container, '<<') !== undefined) {
      throw unsupported('A merge key brings entries in from elsewhere', container.range?.[0]);
    }
    if (change.type === 'insert') return insert(text, root, container, shape, change);

    const path = [...shape.keyPath, ...(isSeq(container) ? [] : [change.name])];
    if (change.type === 'remove') {
      const index = isSeq(container) ? indexNamed(container, shape, change.name) : undefined;
      return { splices: removeFromContainer(text, root, path, index, removal) };
    }
    const entry = isSeq(container)
      ? { node: asNode(container.items[indexNamed(container, shape, change.name)]) }
      : heldAt({ node: container }, change.name);
    if (change.type === 'set') return { splices: putValue(text, entry, change.path, change.value).splices };
    return { splices: removeField(text, entry, change.path) };
  },
};

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
  const field = nameFieldOf(shape);
  return list.items.findIndex(
    (item) => isMap(item) && item.items.some(({ key, value }) => keyName(key) === field && keyName(value) === name),
  );
}
