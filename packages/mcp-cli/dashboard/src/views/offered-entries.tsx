import type { ManagedListing } from '@x/mcp-client-manager';
import type { ComponentChildren } from 'preact';
import { foreignLine } from '../foreign-text-parts.js';
import { hasWords } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { SearchField } from '../parts/search-field.js';
import { type Route, useQueryValue } from '../use-route.js';

const maxEntries = 200;
/** Shorter lists need no filter. */
const fewEntries = 12;

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

interface OfferedEntriesProps<Item> {
  readonly label: string;
  /** Its query has the words of the filter, as `find-resources` for the label `Resources`. */
  readonly route: Route;
  readonly listing: ManagedListing<Item> | undefined;
  readonly problem: string | undefined;
  readonly entryOf: (item: Item) => Entry;
  /** The action of an item. Default: none. */
  readonly actionOf?: ((item: Item) => ComponentChildren) | undefined;
}

interface OpenButtonProps {
  readonly name: string;
  readonly onOpen: () => void;
}

export function OpenButton({ name, onOpen }: OpenButtonProps) {
  return (
    <button type="button" class="small" onClick={onOpen}>
      Open<span class="visually-hidden"> {foreignLine(name)}</span>
    </button>
  );
}

/** The resources, templates or prompts of a server, as far as they are known. */
export function OfferedEntries<Item>({ label, route, listing, problem, entryOf, actionOf }: OfferedEntriesProps<Item>) {
  const [words, setWords] = useQueryValue(route, `find-${label.toLowerCase()}`);
  if (!listing) return <p class="note">{problem ?? 'One moment …'}</p>;
  const { items, completeness } = listing;
  if (items.length === 0) {
    return (
      <p class="note">
        {completeness === 'unavailable' ? 'Not known while it does not run.' : `It has no ${label.toLowerCase()}.`}
      </p>
    );
  }
  const entries = items.map((item) => ({ item, ...entryOf(item) }));
  // A server may send other values than texts.
  const textOf = ({ id, name, title, description }: Entry) => [id, name, title, description].join('\n');
  const shown = entries.filter((entry) => hasWords([textOf(entry)], words));
  return (
    <>
      {(items.length > fewEntries || words !== '') && (
        <search class="log-head">
          <SearchField label={`Filter the ${label.toLowerCase()}`} value={words} onValue={setWords} />
          <span role="status" class="note">
            {words.trim() !== '' && `${shown.length} of ${items.length}`}
          </span>
        </search>
      )}
      <ul class={actionOf ? 'dense entries acting' : 'dense entries'} aria-label={label}>
        {shown.slice(0, maxEntries).map(({ item, id, name, title, description }) => (
          <li key={id}>
            <code>
              <ForeignText text={id} maxLength={500} />
            </code>
            <span class="about">
              <ForeignText text={[title ?? name, description].filter(Boolean).join(': ')} maxLength={500} />
            </span>
            {actionOf?.(item)}
          </li>
        ))}
      </ul>
      {shown.length > maxEntries && (
        <p class="note">{shown.length - maxEntries} more are not shown. The filter finds them.</p>
      )}
    </>
  );
}
