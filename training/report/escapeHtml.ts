const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters but tab and newline, marks that turn the direction of text around, and halves of surrogate pairs. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * A text as it may stand in HTML, between tags and in quoted attributes. Names of instruments come from file names, so anything can
 * be in them; what cannot be printed, or would make a name read as another one, becomes U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd').replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
