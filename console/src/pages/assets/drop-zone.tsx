import { Text } from '@mantine/core';
import { UploadCloud } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { t } from '../../texts/t.ts';
import classes from './assets.module.css';

interface Props {
  isDisabled: boolean;
  onFiles: (files: File[]) => void;
  children: ReactNode;
}

export function DropZone({ isDisabled, onFiles, children }: Props) {
  const [isOver, setOver] = useState(false);
  // dragenter and dragleave also fire for child elements.
  const depth = useRef(0);
  if (isDisabled) return children;
  const move = (event: DragEvent, step: 1 | -1) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    depth.current += step;
    setOver(depth.current > 0);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same
    <div
      className={classes.drop}
      onDragEnter={(event) => move(event, 1)}
      onDragLeave={(event) => move(event, -1)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        const files = [...event.dataTransfer.files];
        if (files.length > 0) onFiles(files);
      }}
    >
      {children}
      {isOver && (
        <div className={classes.over} aria-hidden>
          <UploadCloud size={40} />
          <Text fw={600}>{t('assets.dropHere')}</Text>
        </div>
      )}
    </div>
  );
}
