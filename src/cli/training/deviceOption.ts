import { Option } from 'commander';
import { BACKEND_CHOICES } from '../../core/config/settingTable.ts';

export const deviceOption = (): Option => new Option('--device <name>', 'backend (default: RUNTIME_BACKEND)').choices([...BACKEND_CHOICES]);
