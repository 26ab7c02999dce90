const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters except tab and newline, marks that change the direction of text, and unpaired surrogates. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Escapes a text for HTML, between tags and in quoted attributes. Instrument names come from file names and can contain anything;
 * unprintable characters, and those that make a name look like another one, become U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd').replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
