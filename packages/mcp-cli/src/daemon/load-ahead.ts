import { preload } from '@x/mcp-client-manager';
import { preload as preloadRegistry } from '@x/mcp-registry';

/**
 * Loads all lazily imported modules, because an update may remove the program's files while the daemon runs. Starts with
 * those that every server needs.
 */
export async function loadAhead(): Promise<void> {
  await Promise.all([preload(), preloadRegistry()]);
  await Promise.all([import('../dashboard/dashboard.js'), import('../dashboard/config-report.js')]);
  // Secrets and sign-ins use it later. Some platforms have no build of it.
  await import('@napi-rs/keyring').catch(() => undefined);
}
