import type { Registry } from '../registry.js';
import type { RegistryView } from '../views/view.js';

/** True for a registry, which shows all tools. */
export function isWhole(view: RegistryView): view is Registry {
  return 'attach' in view;
}
