import type { PasswordHasher } from '../../src/accounts/PasswordHasher.ts';

/** Stands in for argon2 where the test is not about it; counts its hashes. */
export class InstantHasher implements PasswordHasher {
  hashes = 0;
  verifications = 0;
  readonly dummyHash = 'hash of nothing';
  /** What `needsRehash` says. */
  isWeak = false;

  async hash(password: string): Promise<string> {
    this.hashes++;
    return `hash of ${password.length} characters`;
  }

  async verify(passwordHash: string, password: string): Promise<boolean> {
    this.verifications++;
    return passwordHash === `hash of ${password.length} characters`;
  }

  needsRehash(): boolean {
    return this.isWeak;
  }
}
