import { preload } from '@x/mcp-client-manager';

/**
 * Loads the rest of the program, which is otherwise loaded when it is first wanted: an update may replace or remove its
 * files while the daemon goes on. First what every server needs.
 */
export async function loadAhead(): Promise<void> {
  await preload();
  await Promise.all([import('../dashboard/dashboard.js'), import('../dashboard/config-report.js')]);
  // For secrets and sign-ins to come. There are machines that it has no program for.
  await import('@napi-rs/keyring').catch(() => undefined);
}
