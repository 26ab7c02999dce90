/** The bytes of a base64 text, in Node.js and in a browser. Throws DOMException if it is none. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
