// placeholder until the folder's code is there
