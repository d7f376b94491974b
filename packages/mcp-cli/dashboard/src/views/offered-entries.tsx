import type { ManagedListing } from '@x/mcp-client-manager';
import type { ComponentChildren } from 'preact';
import { foreignLine } from '../foreign-text-parts.js';
import { ForeignText } from '../parts/foreign-text.js';

const maxEntries = 200;

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

interface OfferedEntriesProps<Item> {
  readonly label: string;
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
export function OfferedEntries<Item>({ label, listing, problem, entryOf, actionOf }: OfferedEntriesProps<Item>) {
  if (!listing) return <p class="note">{problem ?? 'One moment …'}</p>;
  const { items, completeness } = listing;
  if (items.length === 0) {
    return (
      <p class="note">
        {completeness === 'unavailable' ? 'Not known while it does not run.' : `It has no ${label.toLowerCase()}.`}
      </p>
    );
  }
  return (
    <>
      <ul class={actionOf ? 'dense entries acting' : 'dense entries'} aria-label={label}>
        {items.slice(0, maxEntries).map((item) => {
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
      {items.length > maxEntries && <p class="note">{items.length - maxEntries} more are not shown.</p>}
    </>
  );
}
