import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { watchListing } from '../serving/listing-changes.js';
import type { RegistryView } from '../views/view.js';

/** Where `subscriptions/listen` learns of changes: the view itself, and nothing that others are told. */
export function createListingBus(view: RegistryView): ServerEventBus {
  return {
    publish: () => undefined,
    subscribe(listener: (event: ServerEvent) => void) {
      const watching = watchListing(view, () => listener({ kind: 'tools_list_changed' }));
      return () => watching[Symbol.dispose]();
    },
  };
}
