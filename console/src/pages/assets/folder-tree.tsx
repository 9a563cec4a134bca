import { Group, Text, Tree, type TreeNodeData, useTree } from '@mantine/core';
import { ChevronRight, Folder, FolderOpen } from 'lucide-react';
import { useEffect } from 'react';
import type { AssetFolder } from '../../api/api-types.ts';
import { t } from '../../texts/t.ts';
import classes from './assets.module.css';

interface Props {
  folders: readonly AssetFolder[];
  selected: number | undefined;
  onSelect: (id: number | undefined) => void;
}

const top = '0';

export function FolderTree({ folders, selected, onSelect }: Props) {
  const tree = useTree({ initialExpandedState: { [top]: true } });
  const value = String(selected ?? top);
  const ancestors = ancestorsOf(folders, selected);
  const { expand, select } = tree;
  // A string, so that the effect runs only if the selected folder or its ancestors change.
  const path = [top, ...ancestors, value].join();
  useEffect(() => {
    const ids = path.split(',');
    for (const id of ids.slice(0, -1)) expand(id);
  }, [path, expand]);
  useEffect(() => select(value), [value, select]);
  const choose = (node: string) => onSelect(node === top ? undefined : Number(node));
  return (
    <Tree
      onKeyDown={(event) => {
        const node = (event.target as HTMLElement).closest('[data-value]')?.getAttribute('data-value');
        if (event.key === 'Enter' && node) choose(node);
      }}
      aria-label={t('assets.folders')}
      data={[{ value: top, label: t('assets.allAssets'), children: childrenOf(folders, undefined) }]}
      tree={tree}
      selectOnClick
      levelOffset={18}
      renderNode={({ node, expanded, hasChildren, elementProps }) => {
        const Icon = value === node.value ? FolderOpen : Folder;
        return (
          <Group
            {...elementProps}
            gap={6}
            wrap="nowrap"
            className={`${elementProps.className} ${classes.node}`}
            data-chosen={value === node.value || undefined}
            onClick={(event) => {
              elementProps.onClick(event);
              choose(node.value);
            }}
          >
            <ChevronRight
              size={14}
              aria-hidden
              className={classes.chevron}
              data-expanded={expanded || undefined}
              visibility={hasChildren ? 'visible' : 'hidden'}
            />
            <Icon size={16} aria-hidden className={classes.nodeIcon} />
            <Text size="sm" truncate title={String(node.label)}>
              {node.label}
            </Text>
          </Group>
        );
      }}
    />
  );
}

function childrenOf(folders: readonly AssetFolder[], parentId: number | undefined): TreeNodeData[] {
  return folders
    .filter((folder) => folder.parentId === parentId)
    .map(({ id, name, foldersCount }) => ({
      value: String(id),
      label: name,
      ...(foldersCount > 0 && { children: childrenOf(folders, id) }),
    }));
}

/** Ancestors of a folder, outermost first. */
export function ancestorsOf(folders: readonly AssetFolder[], id: number | undefined): number[] {
  const parent = folders.find((folder) => folder.id === id)?.parentId;
  return parent === undefined ? [] : [...ancestorsOf(folders, parent), parent];
}
