import type { ManagedListing } from '@x/mcp-client-manager';
import type { ComponentChildren } from 'preact';
import { foreignLine } from '../foreign-text-parts.js';
import { ForeignText } from '../parts/foreign-text.js';
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
  const shown = items.filter((item) => isWanted(entryOf(item), words));
  return (
    <>
      {(items.length > fewEntries || words !== '') && (
        <search class="log-head">
          <input
            type="search"
            aria-label={`Filter the ${label.toLowerCase()}`}
            placeholder={`Filter the ${label.toLowerCase()}`}
            value={words}
            maxLength={256}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <span role="status" class="note">
            {words.trim() !== '' && `${shown.length} of ${items.length}`}
          </span>
        </search>
      )}
      <ul class={actionOf ? 'dense entries acting' : 'dense entries'} aria-label={label}>
        {shown.slice(0, maxEntries).map((item) => {
          const { id, name, title, description } = entryOf(item);
          return (
            <li key={id}>
              <code>
                <ForeignText text={id} maxLength={500} />
              </code>
              <span class="about">
                <ForeignText text={[title ?? name, description].filter(Boolean).join(': ')} maxLength={500} />
              </span>
              {actionOf?.(item)}
            </li>
          );
        })}
      </ul>
      {shown.length > maxEntries && (
        <p class="note">{shown.length - maxEntries} more are not shown. The filter finds them.</p>
      )}
    </>
  );
}

function isWanted(entry: Entry, words: string): boolean {
  const text = [entry.id, entry.name, entry.title, entry.description].join('\n').toLowerCase();
  return text.includes(words.trim().toLowerCase());
}
