import type { Registry } from '../registry.js';
import type { RegistryView } from '../views/view.js';

/** A registry itself shows everything. Of any other view nobody can tell whom else its listing may be shown. */
export function isWhole(view: RegistryView): view is Registry {
  return 'attach' in view;
}
