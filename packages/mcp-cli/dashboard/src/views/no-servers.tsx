export function NoServers() {
  return (
    <div class="empty">
      <p>The config names no servers yet.</p>
      <p class="note">
        <code>mcpx import</code> takes over those of your editors; <code>mcpx add</code> adds one, and{' '}
        <code>mcpx init</code> writes a config to begin with. They appear here as soon as they are in it.
      </p>
    </div>
  );
}
