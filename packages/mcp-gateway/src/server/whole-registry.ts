import type { Registry } from '../registry.js';
import type { RegistryView } from '../views/view.js';

/** True for a registry itself, which shows everything. The audience of any other view's listing is unknown. */
export function isWhole(view: RegistryView): view is Registry {
  return 'attach' in view;
}
