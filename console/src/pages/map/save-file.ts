/** Hands a file to the browser, which saves it as it saves others. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the content by then.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, REVOKE_AFTER_MS);
}

const REVOKE_AFTER_MS = 10_000;
